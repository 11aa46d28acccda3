# What the other scripts share. Source this file first: it changes to the root of the package, and with the argument
# --help it prints the comment at the top of the script and ends.
#
# The need_… functions install a requirement, such as Swift's system packages or nginx, if it is missing. They end the
# script with a reason if they can't.

if [ "${1:-}" = --help ]; then
    sed -n '3,/^$/s/^# \{0,1\}//p' "$0"
    exit
fi

# nginx is in an sbin directory, which may not be in a user's PATH.
export PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"
# The tests and their servers open more files than the 1024 that many systems allow at first.
[ "$(ulimit -n)" = unlimited ] || [ "$(ulimit -n)" -ge 8192 ] || ulimit -S -n 8192 2>/dev/null || :
called_in=$PWD
# A shell can also source this file, to install the requirements only.
[ ! -e "$(dirname "$0")/../Package.swift" ] || cd -- "$(dirname "$0")/.."

# Prints to standard error, so that a script's output can be piped.
say() {
    printf '%s\n' "$*" >&2
}

fail() {
    say "error: $*"
    exit 1
}

# with_log TITLE COMMAND...
# Runs the command, and shows the end of its output only if it fails.
with_log() {
    printf '  %s ...' "$1" >&2
    shift
    log_start=$(date +%s)
    log_status=0
    log_text=$("$@" 2>&1) || log_status=$?
    if [ "$log_status" -eq 0 ]; then
        say " done ($(($(date +%s) - log_start)) s)"
    else
        say " failed
$(printf '%s\n' "$log_text" | tail -n 40)"
    fi
    return "$log_status"
}

# make_work
# Creates a temporary directory, $work. Another process removes it and ends the processes in $work/servers when the
# script ends, even if the script is killed.
make_work() {
    [ -z "${work:-}" ] || return 0
    work=$(mktemp -d "${TMPDIR:-/tmp}/requests.XXXXXX")
    : >"$work/servers"
    (
        trap '' HUP INT TERM
        while kill -0 "$$"; do sleep 1; done
        kill $(cat "$work/servers") || :
        sleep 1
        rm -rf "$work"
    ) >/dev/null 2>&1 </dev/null &
}

# Runs a command as root, with a password prompt if needed.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

# apt_install PACKAGE...
# Doesn't start a web server on port 80, now or at the next boot. Keeps the machine's own policy on starting services.
apt_install() {
    # An unreachable repository may not matter. If it does, the installation fails.
    [ -n "${apt_lists_fetched:-}" ] || with_log "apt-get update" as_root apt-get update || :
    apt_lists_fetched=yes
    with_log "apt-get install $*" as_root sh -c '
        policy=/usr/sbin/policy-rc.d
        if [ ! -e "$policy" ] && [ ! -L "$policy" ]; then
            trap "rm -f $policy" EXIT
            trap "exit 130" INT
            trap "exit 143" TERM
            printf "#!/bin/sh\nexit 101\n" >"$policy"
            chmod 755 "$policy"
        fi
        DEBIAN_FRONTEND=noninteractive \
            apt-get -o DPkg::Lock::Timeout=120 install -y --no-install-recommends --no-remove "$@" || exit
        update-rc.d nginx disable || :
    ' sh "$@" || fail "apt-get couldn't install: $*"
}

# install PROGRAM [PACKAGE...]
# Installs Debian's packages, or Homebrew's package of the program's name.
install() {
    program=$1
    [ $# -eq 1 ] || shift
    if command -v apt-get >/dev/null 2>&1; then
        apt_install "$@"
    elif command -v brew >/dev/null 2>&1; then
        with_log "brew install $program" brew install "$program" || fail "brew couldn't install: $program"
    else
        fail "$program is missing: install it and run this again."
    fi
}

# need_program PROGRAM [PACKAGE...]
need_program() {
    command -v "$1" >/dev/null 2>&1 || install "$@"
}

# Checks for Swift, the packages that swift build needs, and the libcurl headers. SwiftPM checks Swift's version.
need_swift() {
    command -v swift >/dev/null 2>&1 ||
        fail "swift is not on PATH. Install Swift 6.2 or newer (https://www.swift.org/install)," \
            "put the toolchain's usr/bin on PATH, and run this again."
    need_toolchain_packages
    need_curl_headers
}

# The packages that swift.org lists for Debian 12, and two more: libc6-dev, which gcc only recommends, and g++, which
# installs the C++ headers for the system's version of gcc.
toolchain_packages='binutils g++ gcc git libc6-dev libcurl4-openssl-dev libedit-dev libicu-dev
    libncurses-dev libpython3-dev libsqlite3-dev libxml2-dev pkg-config tzdata uuid-dev zlib1g-dev'

# Checks that a program can be compiled, linked and run, and that the package manager starts.
toolchain_works() (
    make_work
    echo 'import Foundation; print(Date())' >"$work/main.swift"
    ls /usr/share/zoneinfo/UTC && git --version && swift build --version &&
        swiftc -module-cache-path "$work/cache" -o "$work/main" "$work/main.swift" && "$work/main"
)

# Installs the system libraries and tools that swift build needs, unless other packages do.
need_toolchain_packages() {
    [ "$(uname -s)" != Darwin ] || return 0
    if dpkg-query -W $toolchain_packages >/dev/null 2>&1 && command -v ld.gold >/dev/null 2>&1; then
        return 0
    fi
    if reason=$(toolchain_works 2>&1); then
        return 0
    fi
    command -v apt-get >/dev/null 2>&1 ||
        fail "swift can't build a program here. Install the packages that https://www.swift.org/install" \
            "lists for this system, and run this again. The reason: $reason"
    apt_install $toolchain_packages
    # Part of binutils on Debian 12, and a separate package later.
    command -v ld.gold >/dev/null 2>&1 || apt_install binutils-gold
    with_log "building a test program" toolchain_works || fail "swift still can't build a program, see above"
}

need_curl_headers() {
    need_program pkg-config
    # Homebrew doesn't link its curl, because macOS has its own.
    [ "$(uname -s)" != Darwin ] ||
        export PKG_CONFIG_PATH="$(brew --prefix curl)/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
    pkg-config --exists libcurl || install curl libcurl4-openssl-dev
    pkg-config --exists libcurl ||
        fail "pkg-config doesn't find libcurl: install its development package and run this again."
}

need_python() {
    need_program python3
}

# need_venv NAME
# Installs the packages in scripts/NAME.txt from PyPI into .build/NAME, where they are kept.
need_venv() {
    # The copy of the pins is written last. If it is missing or different, the installation is incomplete or old.
    if ! cmp -s "scripts/$1.txt" ".build/$1/pins.txt" || ! ".build/$1/bin/python" -c ''; then
        need_python
        # Debian has a separate package for them.
        python3 -c 'import ensurepip, venv' 2>/dev/null || apt_install python3-venv
        with_log "python3 -m venv .build/$1" python3 -m venv --clear ".build/$1" &&
            with_log "pip install $1" ".build/$1/bin/pip" install --no-deps --disable-pip-version-check \
                -r "scripts/$1.txt" &&
            cp "scripts/$1.txt" ".build/$1/pins.txt"
    fi
}

# Prints the C compiler of Swift's toolchain.
c_compiler() {
    echo "$(dirname "$(command -v swift)")/clang"
}

# plain_program PRODUCT [OPTION...]
# Builds a product of Benchmarks/Plain, with optimization unless options say otherwise, and prints its path.
plain_program() {
    product=$1
    shift
    [ $# -gt 0 ] || set -- -c release
    swift build "$@" --package-path Benchmarks/Plain --product "$product" >&2 || return
    echo "$(swift build "$@" --package-path Benchmarks/Plain --show-bin-path)/$product"
}

# Without a limit, all test cases start at once and mostly wait for each other's threads, URLSession's until their
# timeouts.
limit_parallel_tests() {
    export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH="${SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH:-16}"
}

# Prints the products of the package.
products() {
    sed -n 's/.*\.library(name: "\([A-Za-z]*\)".*/\1/p' Package.swift
}

# symbol_graphs FOLDER [OPTION...]
# Describes the public symbols of every product, in a build with options.
symbol_graphs() {
    graphs=$1
    shift
    rm -rf "$graphs"
    mkdir -p "$graphs"
    # With the flags of the tests, nothing is compiled again.
    with_log "swift build" swift build ${REQUESTS_SWIFT_FLAGS:-} "$@" || fail "the package doesn't compile"
    built=$(swift build "$@" --show-bin-path)
    triple=$(swiftc -print-target-info | sed -n 's/.*"unversionedTriple": *"\(.*\)".*/\1/p')
    for module in $(products); do
        [ -e "$built/Modules/$module.swiftmodule" ] || continue
        swift symbolgraph-extract -module-name "$module" -I "$built/Modules" -target "$triple" \
            -Xcc -fmodule-map-file=Sources/CRequestsCurl/module.modulemap \
            -Xcc -fmodule-map-file=Sources/CZlib/module.modulemap \
            -minimum-access-level public -skip-inherited-docs -emit-extension-block-symbols -output-dir "$graphs" >&2 ||
            fail "$module has no symbol graph"
    done
    # The symbols of the modules that a module exports are removed.
    python3 - "$graphs" <<'END'
import json, pathlib, sys
for path in pathlib.Path(sys.argv[1]).glob("*.symbols.json"):
    graph = json.loads(path.read_text(encoding="utf-8"))
    module = path.name.split(".")[0].split("@")[0]
    if module != "Requests" and "@" in path.name:
        continue
    own = f"{len(module)}{module}"
    graph["symbols"] = [symbol for symbol in graph["symbols"] if own in symbol["identifier"]["precise"]]
    graph["relationships"] = [each for each in graph["relationships"] if own in each["source"]]
    path.write_text(json.dumps(graph), encoding="utf-8")
END
}

# shellcheck shell=sh
#
# Functions that check and install the requirements of the other scripts: Swift, its system packages, the libcurl
# headers, nginx, curl and Python. Source this file. Each function prints what it found, installs what is missing, and
# ends the script with a reason if it can't. A script whose first argument is --help only prints its help.

# nginx is in an sbin directory, which may not be in a user's PATH.
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
export PATH

apt_lists_fetched=

# Prints the comment at the top of a script, and the requirements that the script checks.
print_help() {
    awk '
        NR == 1 || (NR == 2 && /^#$/) { next }
        !code && sub(/^# ?/, "") { print; next }
        { code = 1 }
        /^ *need_[a-z_]+$/ && !($1 in needed) {
            needed[$1]
            name = substr($1, 6)
            gsub("_", " ", name)
            if (name != "swift") list = list (list ? ", " : "") name
        }
        END {
            if ("need_swift" in needed) printf "\nNeeds Swift 6.2 or newer."
            if (list) printf " Installs what is missing of: %s.", list
            if ("need_swift" in needed) print ""
        }
    ' "$1"
}

# Here, because every script sources this file before it does anything else.
if [ "${1:-}" = --help ]; then
    print_help "$0"
    exit 0
fi

# Prints to standard error, so that a script's output can be piped.
say() {
    printf '%s\n' "$*" >&2
}

fail() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

# with_log TITLE COMMAND...
# Runs the command, prints a dot every few seconds, and shows the command's output only if it fails.
with_log() {
    log_title=$1
    shift
    printf '  %s ...' "$log_title" >&2
    log_start=$(date +%s)
    # The dots end when the script does, even if it is killed.
    while sleep 3 >/dev/null 2>&1 && kill -0 "$$" 2>/dev/null; do
        printf '.' >&2
    done &
    log_dots=$!
    log_status=0
    log_text=$("$@" 2>&1) || log_status=$?
    {
        kill "$log_dots" || :
        wait "$log_dots" || :
    } 2>/dev/null
    if [ "$log_status" -eq 0 ]; then
        printf ' done (%d s)\n' "$(($(date +%s) - log_start))" >&2
    else
        printf ' failed\n%s\n' "$log_text" >&2
    fi
    return "$log_status"
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

# apt_prepare PACKAGE...
# Checks that packages can be installed, and fetches the package lists once per run.
apt_prepare() {
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null 2>&1 ||
            fail "installing packages needs root or sudo. As root, run:" \
                "apt-get install --no-install-recommends $*"
        # Asks for the password here, where the prompt is visible.
        sudo true || fail "sudo refused, so these packages are still missing: $*"
    fi
    if [ -z "$apt_lists_fetched" ]; then
        # An unreachable repository may not matter. If it does, the installation fails.
        with_log "apt-get update" as_root apt-get update || say "  continuing with the existing package lists"
        apt_lists_fetched=yes
    fi
}

apt_install() {
    apt_prepare "$@"
    with_log "apt-get install $*" \
        as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get -o DPkg::Lock::Timeout=120 install -y --no-install-recommends --no-remove "$@" ||
        fail "apt-get couldn't install: $*"
}

brew_install() {
    with_log "brew install $*" brew install "$@" || fail "brew couldn't install: $*"
}

# Prints the package manager to use: apt, brew or none.
package_manager() {
    if [ "$(uname -s)" = Linux ] && command -v apt-get >/dev/null 2>&1; then
        echo apt
    elif [ "$(uname -s)" = Darwin ] && command -v brew >/dev/null 2>&1; then
        echo brew
    else
        echo none
    fi
}

swift_version() {
    swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9][0-9.]*\).*/\1/p' | head -n 1
}

# Checks for Swift 6.2 or newer on PATH.
need_swift() {
    command -v swift >/dev/null 2>&1 ||
        fail "swift is not on PATH. Install Swift 6.2 or newer (https://www.swift.org/install)," \
            "put the toolchain's usr/bin on PATH, and run this again."
    swift_found=$(swift_version)
    if [ -z "$swift_found" ]; then
        # A toolchain can't start without its system libraries.
        say "swift: $(command -v swift) doesn't start yet"
        need_toolchain_packages
        swift_found=$(swift_version)
    fi
    [ -n "$swift_found" ] ||
        fail "$(command -v swift) doesn't start: $(swift --version 2>&1 | head -n 3)"
    swift_major=${swift_found%%.*}
    swift_minor=${swift_found#*.}
    swift_minor=${swift_minor%%.*}
    if [ "$swift_major" -lt 6 ] || { [ "$swift_major" -eq 6 ] && [ "$swift_minor" -lt 2 ]; }; then
        fail "Swift $swift_found at $(command -v swift) is too old. Install Swift 6.2 or newer" \
            "(https://www.swift.org/install), put it first on PATH, and run this again."
    fi
    say "swift: found $swift_found"
}

# The packages that swift.org lists for Debian 12, and two more: libc6-dev, which gcc only recommends, and g++, which
# installs the C++ headers for the system's version of gcc.
toolchain_packages='binutils g++ gcc git libc6-dev libcurl4-openssl-dev libedit-dev libicu-dev
    libncurses-dev libpython3-dev libsqlite3-dev libxml2-dev pkg-config tzdata uuid-dev zlib1g-dev'

# Prints the toolchain_packages that aren't installed.
missing_toolchain_packages() {
    # The list is meant to be split.
    # shellcheck disable=SC2086
    packages_here=" $(dpkg-query -W -f='${Package} ${db:Status-Status}\n' $toolchain_packages 'libstdc++-*-dev' \
        2>/dev/null | sed -n 's/ installed$//p' | tr '\n' ' ')"
    for package in $toolchain_packages; do
        case "$package:$packages_here" in
            # The C++ headers can be installed without the C++ compiler.
            *:*" $package "* | g++:*' libstdc++-'*) ;;
            *) printf '%s ' "$package" ;;
        esac
    done
    # Part of binutils on Debian 12, and a separate package later.
    command -v ld.gold >/dev/null 2>&1 || printf 'binutils-gold '
}

# Checks that a program can be compiled, linked and run, and that the package manager starts.
toolchain_works() (
    git --version || exit 1
    ls /usr/share/zoneinfo/UTC || exit 1
    swift build --version || exit 1
    probe=$(mktemp -d) || exit 1
    trap 'rm -rf "$probe"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    echo 'import Foundation; print(Date())' >"$probe/main.swift"
    swiftc -module-cache-path "$probe/cache" -o "$probe/main" "$probe/main.swift" && "$probe/main"
)

# Installs the system libraries and tools that swift build needs.
need_toolchain_packages() {
    if [ "$(uname -s)" = Darwin ]; then
        say "toolchain packages: none needed on macOS"
        return 0
    fi
    packages_missing=
    if command -v dpkg-query >/dev/null 2>&1; then
        packages_missing=$(missing_toolchain_packages)
        if [ -z "$packages_missing" ]; then
            say "toolchain packages: all installed"
            return 0
        fi
    fi
    # Other packages are fine if Swift works with them.
    if toolchain_text=$(toolchain_works 2>&1); then
        say "toolchain packages: a test program builds and runs, nothing to install"
        return 0
    fi
    [ "$(package_manager)" = apt ] ||
        fail "swift can't build a program here. Install the packages that https://www.swift.org/install" \
            "lists for this system, and run this again. The reason: $toolchain_text"
    [ -n "$packages_missing" ] ||
        fail "swift can't build a program here, although its packages are installed: $toolchain_text"
    say "toolchain packages: some are missing, installing with apt-get"
    # shellcheck disable=SC2086
    apt_install $packages_missing
    with_log "building a test program" toolchain_works || fail "swift still can't build a program, see above"
    say "toolchain packages: installed"
}

# Prints a C compiler, preferably the one next to swift.
c_compiler() {
    for compiler in "$(dirname "$(command -v swift || echo .)")/clang" clang cc gcc; do
        command -v "$compiler" && return 0
    done
    return 1
}

# Finds Homebrew's curl, which isn't linked because macOS has its own.
find_brew_curl() {
    [ "$(package_manager)" = brew ] || return 0
    brew_curl=$(brew --prefix curl 2>/dev/null || :)/lib/pkgconfig
    [ -e "$brew_curl/libcurl.pc" ] || return 0
    case :${PKG_CONFIG_PATH-}: in
        *":$brew_curl:"*) ;;
        *)
            PKG_CONFIG_PATH=$brew_curl${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
            export PKG_CONFIG_PATH
            ;;
    esac
}

# Checks that pkg-config knows libcurl and that the compiler finds its header.
curl_headers_found() {
    pkg-config --exists libcurl 2>/dev/null || return 1
    curl_compiler=$(c_compiler) || return 1
    # The flags are meant to be split.
    # shellcheck disable=SC2046
    echo '#include <curl/curl.h>' |
        "$curl_compiler" $(pkg-config --cflags libcurl) -x c -E - >/dev/null 2>&1
}

need_curl_headers() {
    find_brew_curl
    if ! curl_headers_found; then
        case $(package_manager) in
            apt)
                say "libcurl headers: missing, installing with apt-get"
                apt_install libcurl4-openssl-dev pkg-config
                ;;
            brew)
                say "libcurl headers: missing, installing with brew"
                brew_install curl pkg-config
                find_brew_curl
                ;;
            *)
                fail "the libcurl headers are missing: install libcurl's development package" \
                    "(curl-devel, curl-dev or libcurl4-openssl-dev) and pkg-config, and run this again."
                ;;
        esac
        curl_headers_found ||
            fail "curl/curl.h still isn't found. Check the output of: pkg-config --cflags --libs libcurl"
    fi
    say "libcurl headers: found $(pkg-config --modversion libcurl)"
}

# Installs the curl program, which runs the generated curl commands.
need_curl_program() {
    if ! command -v curl >/dev/null 2>&1; then
        case $(package_manager) in
            apt)
                say "curl: missing, installing with apt-get"
                apt_install curl
                ;;
            brew)
                say "curl: missing, installing with brew"
                brew_install curl
                ;;
            *)
                fail "the program curl is missing: install it and run this again."
                ;;
        esac
        command -v curl >/dev/null 2>&1 || fail "curl was installed but is not on PATH: $PATH"
    fi
    say "curl: found $(curl --version | sed -n 's/^curl \([0-9.]*\).*/\1/p')"
}

nginx_version() {
    nginx -v 2>&1 | sed -n 's|.*nginx/\([0-9.]*\).*|\1|p'
}

# Installs the arguments without starting a web server on port 80, now or at the next boot. Runs as root. Keeps the
# machine's own policy on starting services, if it has one.
# shellcheck disable=SC2016
install_without_starting='
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
'

# Installs nginx, which the tests start on a loopback port.
need_nginx() {
    if ! command -v nginx >/dev/null 2>&1; then
        case $(package_manager) in
            apt)
                say "nginx: missing, installing with apt-get"
                # openssl makes the certificate for the tests over TLS.
                apt_prepare nginx-light openssl
                with_log "apt-get install nginx-light openssl" \
                    as_root sh -c "$install_without_starting" sh nginx-light openssl ||
                    fail "apt-get could not install: nginx-light openssl"
                ;;
            brew)
                say "nginx: missing, installing with brew"
                brew_install nginx
                ;;
            *)
                fail "nginx is missing: install it (it doesn't have to run) and run this again."
                ;;
        esac
        command -v nginx >/dev/null 2>&1 || fail "nginx was installed but is not on PATH: $PATH"
    fi
    say "nginx: found $(nginx_version)"
}

# Installs Python 3, which some scripts, some tests and httpbin need.
need_python() {
    if ! python3 -c '' >/dev/null 2>&1; then
        case $(package_manager) in
            apt)
                say "python3: missing, installing with apt-get"
                apt_install python3
                ;;
            brew)
                say "python3: missing, installing with brew"
                brew_install python3
                ;;
            *)
                fail "python3 is missing: install Python 3 and run this again."
                ;;
        esac
    fi
    say "python3: found $(python3 -c 'import platform; print(platform.python_version())')"
}

# Installs Python 3 with venv, which is a separate package on Debian.
need_python_venv() {
    need_python
    if ! python3 -c 'import ensurepip, venv' >/dev/null 2>&1; then
        [ "$(package_manager)" = apt ] || fail "python3 has no venv: install a Python 3 with venv and run this again."
        say "python3-venv: missing, installing with apt-get"
        apt_install python3-venv
        python3 -c 'import ensurepip, venv' >/dev/null 2>&1 ||
            fail "python3-venv was installed, but $(command -v python3) is another Python and has no venv"
    fi
}

# plain_program PRODUCT [OPTION...]
# Builds a product of Benchmarks/Plain, with optimization unless options say otherwise, and prints its path. Must be called
# in the root of the package.
plain_program() {
    product=$1
    shift
    [ $# -gt 0 ] || set -- -c release
    swift build "$@" --package-path Benchmarks/Plain --product "$product" >&2 || return
    echo "$(swift build "$@" --package-path Benchmarks/Plain --show-bin-path)/$product"
}

# bounded SECONDS COMMAND...
# Runs a command with a time limit if the system has the timeout program.
bounded() {
    bound=$1
    shift
    if command -v timeout >/dev/null 2>&1; then
        timeout "$bound" "$@"
    else
        "$@"
    fi
}

# outlive_no_script PID DIRECTORY
# Starts a process that, if this script is killed, ends another one and removes its files. Sets watcher_pid, which
# must be ended with SIGKILL.
outlive_no_script() {
    (
        trap '' HUP INT TERM
        while kill -0 "$$" 2>/dev/null; do sleep 1; done
        kill "$1"
        rm -rf "$2"
    ) >/dev/null 2>&1 </dev/null &
    watcher_pid=$!
}

# Without a limit, all test cases start at once and mostly wait for each other's threads, URLSession's until their
# timeouts.
limit_parallel_tests() {
    SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=${SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH:-16}
    export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH
}

# Prints the products of the package. Must be called in the root of the package.
products() {
    sed -n 's/.*\.library(name: "\([A-Za-z]*\)".*/\1/p' Package.swift
}

# folder_of MODULE
# Prints the folder of a module. Must be called in the root of the package.
folder_of() {
    for parent in Sources Tests; do
        [ ! -d "$parent/$1" ] || echo "$parent/$1"
    done
}

# symbol_graphs [NAME OPTION...]
# Describes the public symbols of every product in .build/docs/graphs, or those of a build with options in
# .build/docs/graphs-NAME. Must be called in the root of the package.
symbol_graphs() {
    graphs=.build/docs/graphs${1:+-$1}
    [ $# -eq 0 ] || shift
    rm -rf "$graphs"
    mkdir -p "$graphs"
    # The flags are meant to be split. With those of the tests, nothing is compiled again.
    # shellcheck disable=SC2086
    with_log "swift build" swift build ${REQUESTS_SWIFT_FLAGS:-} "$@" || fail "the package doesn't compile"
    built=$(swift build "$@" --show-bin-path)
    triple=$(swiftc -print-target-info | sed -n 's/.*"unversionedTriple": *"\(.*\)".*/\1/p')
    for module in $(products); do
        [ -e "$built/Modules/$module.swiftmodule" ] || continue
        swift symbolgraph-extract -module-name "$module" -I "$built/Modules" -target "$triple" \
            -Xcc -fmodule-map-file=Sources/CRequestsCurl/module.modulemap \
            -Xcc -fmodule-map-file=Sources/CZlib/module.modulemap \
            -minimum-access-level public -skip-inherited-docs -output-dir "$graphs" >&2 || fail "$module has no symbol graph"
    done
    own_symbols "$graphs"
}

# own_symbols FOLDER
# Removes the symbols of Foundation from the graphs of Requests, which exports Foundation.
own_symbols() {
    python3 - "$1" <<'END'
import json, pathlib, sys
for path in pathlib.Path(sys.argv[1]).glob("Requests[.@]*symbols.json"):
    graph = json.loads(path.read_text(encoding="utf-8"))
    graph["symbols"] = [symbol for symbol in graph["symbols"] if "8Requests" in symbol["identifier"]["precise"]]
    graph["relationships"] = [each for each in graph["relationships"] if "8Requests" in each["source"]]
    path.write_text(json.dumps(graph), encoding="utf-8")
END
}

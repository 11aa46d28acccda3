// The same as `get`, in C.
#include <curl/curl.h>
#include <stdio.h>
#include <string.h>

static size_t count(char *bytes, size_t size, size_t number, void *total) {
    (void)bytes;
    *(size_t *)total += size * number;
    return size * number;
}

int main(int argc, char **arguments) {
    if (argc < 2) return 2;
    curl_global_init(CURL_GLOBAL_DEFAULT);
    CURL *easy = curl_easy_init();
    size_t total = 0;
    curl_easy_setopt(easy, CURLOPT_URL, arguments[1]);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, count);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &total);
    CURLcode result = curl_easy_perform(easy);
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    while (status && fgets(line, sizeof line, status)) {
        if (strncmp(line, "RssAnon:", 8) == 0) printf("%zu %s", total, line);
    }
    if (status) fclose(status);
    curl_easy_cleanup(easy);
    return result;
}

// The functions that the standard library calls. Nothing is ever freed.

#include <stddef.h>
#include <stdint.h>

extern unsigned char __heap_base;
static size_t top;
uintptr_t __stack_chk_guard = 1;

void __stack_chk_fail(void) { __builtin_trap(); }

int posix_memalign(void **result, size_t alignment, size_t size) {
    if (top == 0) top = (size_t)&__heap_base;
    top = (top + alignment - 1) / alignment * alignment;
    *result = (void *)top;
    top += size;
    while (top > __builtin_wasm_memory_size(0) << 16) __builtin_wasm_memory_grow(0, 16);
    return 0;
}

void free(void *memory) {}

void *memmove(void *to, const void *from, size_t count) {
    char *target = to;
    const char *source = from;
    if (target < source) {
        while (count--) *target++ = *source++;
    } else {
        while (count--) target[count] = source[count];
    }
    return to;
}

void *memcpy(void *to, const void *from, size_t count) { return memmove(to, from, count); }

void *memset(void *memory, int byte, size_t count) {
    for (char *bytes = memory; count--;) *bytes++ = (char)byte;
    return memory;
}

int memcmp(const void *left, const void *right, size_t count) {
    for (const unsigned char *a = left, *b = right; count--; a++, b++) {
        if (*a != *b) return *a - *b;
    }
    return 0;
}

void arc4random_buf(void *memory, size_t count) { memset(memory, 7, count); }

int putchar(int character) { return character; }

// The product of two numbers of 128 bits, from compiler-rt.
void __multi3(uint64_t *result, uint64_t a, uint64_t aHigh, uint64_t b, uint64_t bHigh) {
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t low = a0 * b0, middle = a1 * b0 + (low >> 32), other = a0 * b1 + (uint32_t)middle;
    result[0] = other << 32 | (uint32_t)low;
    result[1] = a1 * b1 + (middle >> 32) + (other >> 32) + a * bHigh + aHigh * b;
}

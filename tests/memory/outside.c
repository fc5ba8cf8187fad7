// What libraries write into our memory counts as written: the memory sanitizer sees only our own code. Memory
// that they allocate for themselves is left to them (poison_in_malloc=0, poison_in_free=0), ours is poisoned
// from when it is allocated until it is freed. The linker sends our calls here (--wrap).
#include <libfyaml.h>
#include <malloc.h>
#include <sanitizer/msan_interface.h>
#include <stdlib.h>
#include <zstd.h>

void *__real_aligned_alloc(size_t alignment, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    void *block = __real_aligned_alloc(alignment, bytes);
    if (block) __msan_poison(block, bytes);
    return block;
}

void __real_free(void *block);
void __wrap_free(void *block);

void __wrap_free(void *block)
{
    if (block) __msan_unpoison(block, malloc_usable_size(block)); // a library may be the next that has it
    __real_free(block);
}

const char *__real_fy_token_get_text(struct fy_token *token, size_t *length);
const char *__wrap_fy_token_get_text(struct fy_token *token, size_t *length);

const char *__wrap_fy_token_get_text(struct fy_token *token, size_t *length)
{
    const char *text = __real_fy_token_get_text(token, length);
    __msan_unpoison(length, sizeof *length);
    if (text) __msan_unpoison(text, *length);
    return text;
}

size_t __real_ZSTD_compressStream2(ZSTD_CCtx *stream, ZSTD_outBuffer *out, ZSTD_inBuffer *in,
                                   ZSTD_EndDirective end);
size_t __wrap_ZSTD_compressStream2(ZSTD_CCtx *stream, ZSTD_outBuffer *out, ZSTD_inBuffer *in,
                                   ZSTD_EndDirective end);

size_t __wrap_ZSTD_compressStream2(ZSTD_CCtx *stream, ZSTD_outBuffer *out, ZSTD_inBuffer *in,
                                   ZSTD_EndDirective end)
{
    // What is stored has to be set.
    __msan_check_mem_is_initialized((const char *)in->src + in->pos, in->size - in->pos);
    size_t left = __real_ZSTD_compressStream2(stream, out, in, end);
    __msan_unpoison(in, sizeof *in);
    __msan_unpoison(out, sizeof *out);
    __msan_unpoison(out->dst, out->pos);
    return left;
}

size_t __real_ZSTD_decompressStream(ZSTD_DStream *stream, ZSTD_outBuffer *out, ZSTD_inBuffer *in);
size_t __wrap_ZSTD_decompressStream(ZSTD_DStream *stream, ZSTD_outBuffer *out, ZSTD_inBuffer *in);

size_t __wrap_ZSTD_decompressStream(ZSTD_DStream *stream, ZSTD_outBuffer *out, ZSTD_inBuffer *in)
{
    size_t left = __real_ZSTD_decompressStream(stream, out, in);
    __msan_unpoison(in, sizeof *in);
    __msan_unpoison(out, sizeof *out);
    __msan_unpoison(out->dst, out->pos);
    return left;
}

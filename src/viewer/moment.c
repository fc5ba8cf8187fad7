#include "viewer/moment.h"

#include "core/memory.h"
#include "export/block_file.h"

void moment_free(Moment *moment)
{
    if (!moment) return;
    blocks_free(&moment->state);
    memory_free(moment->packed);
    shared_scene_release(moment->scene);
    memory_free(moment);
}

bool moment_can_pack(const Moment *moment)
{
    return moment->state.storage != NULL;
}

Result moment_pack(Moment *moment)
{
    uint64_t whole = blocks_bytes(&moment->state);
    TRY(block_file_pack(&moment->state, &moment->packed, &moment->packed_bytes));
    blocks_free(&moment->state);
    moment->bytes = moment->bytes - whole + moment->packed_bytes;
    return result_ok();
}

Result moment_open(const Moment *moment, StateBlocks *unpacked, const StateBlocks **out)
{
    *unpacked = (StateBlocks){0};
    *out = moment->packed ? unpacked : &moment->state;
    if (!moment->packed) return result_ok();
    return block_file_parse("a remembered state", moment->packed, moment->packed_bytes, unpacked);
}

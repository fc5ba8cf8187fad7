/* A dam breaks: half a second of water, and a hash of where it is then. */
#include <pbf.h>
#include <stdio.h>

int main(void)
{
    static const char text[] = "spacing: 0.05\n"
                               "tank: {size: [2, 1, 1]}\n"
                               "water: [{box: {min: [0, 0, 0], max: [0.5, 1, 0.8]}}]\n";
    pbf_scene *scene = NULL;
    pbf_sim *sim = NULL;
    pbf_result result = pbf_scene_parse(NULL, "hello", text, sizeof text - 1, NULL, 0, NULL, 0, &scene);
    if (result.code == PBF_OK) result = pbf_sim_create(scene, &sim);
    if (result.code == PBF_OK) result = pbf_sim_advance(sim, 0.5, NULL, NULL);
    if (result.code != PBF_OK) fprintf(stderr, "%s\n", result.text);
    printf("%016llx\n", (unsigned long long)pbf_sim_hash(sim));
    pbf_sim_destroy(sim);
    pbf_scene_destroy(scene);
    return result.code != PBF_OK;
}

/* A ball that a physics of one's own moves: it falls into water, which lifts and slows it. */
#include <pbf.h>
#include <stdio.h>

#define FRAME (1.0 / 60.0) /* s, a step of this physics */
#define MASS 2.0 /* kg: half as heavy as the water that it pushes aside, so that it comes to float */

static const char text[] = "spacing: 0.04\n"
                           "tank: {size: [0.8, 0.8, 1.2]}\n"
                           "water: [{box: {min: [0, 0, 0], max: [0.8, 0.8, 0.48]}}]\n"
                           "obstacles: [{name: ball, sphere: {radius: 0.1}, position: [0.4, 0.4, 0.75]}]\n";

/* Moves the ball for a frame by its weight and the force of the water in the frame before. */
static pbf_result move(pbf_sim *sim, int frame, double *speed)
{
    pbf_body ball;
    pbf_result result = pbf_sim_body(sim, 0, &ball);
    if (result.code != PBF_OK) return result;
    *speed += FRAME * (ball.force[2] / MASS - 9.81);
    ball.position[2] += FRAME * *speed;
    result = pbf_sim_lead(sim, 0, ball.position, ball.rotation, (frame + 1) * FRAME);
    return result.code == PBF_OK ? pbf_sim_advance(sim, (frame + 1) * FRAME, NULL, NULL) : result;
}

int main(void)
{
    pbf_scene *scene = NULL;
    pbf_sim *sim = NULL;
    pbf_body ball;
    double speed = 0.0;
    int frame;
    pbf_result result = pbf_scene_parse(NULL, "ball", text, sizeof text - 1, NULL, 0, NULL, 0, &scene);
    if (result.code == PBF_OK) result = pbf_sim_create(scene, &sim);
    if (result.code == PBF_OK) result = pbf_sim_measure(sim, 1);
    for (frame = 0; frame < 90 && result.code == PBF_OK; frame++) {
        result = move(sim, frame, &speed);
        if (result.code == PBF_OK) result = pbf_sim_body(sim, 0, &ball);
        if (result.code == PBF_OK && frame % 10 == 9)
            printf("%.2f s: ball at %.3f m, %+.2f m/s, the water lifts it with %.1f N\n", (frame + 1) * FRAME,
                   ball.position[2], speed, ball.force[2]);
    }
    if (result.code != PBF_OK) fprintf(stderr, "%s\n", result.text);
    pbf_sim_destroy(sim);
    pbf_scene_destroy(scene);
    return result.code != PBF_OK;
}

// What a program says that was built without Embree: ray_scene.c is compiled here as it is then.
#undef PBF_EMBREE
#define ray_scene_check off_check
#define ray_scene_create off_create
#define ray_scene_destroy off_destroy
#define ray_scene_hit off_hit
#define ray_scene_blocked off_blocked
#define ray_scene_has_puffs off_has_puffs
#include "photo/ray_scene.c"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void without_embree_one_line_says_what_is_missing(void **state)
{
    RayScene *scene = (RayScene *)state;
    Ray ray = {.far = 1};
    RayHit hit;
    Result check = ray_scene_check(), made = ray_scene_create(NULL, 0, 0, NULL, &scene);
    assert_int_equal(result_exit_status(&check), 1);
    assert_string_equal(check.text, made.text);
    assert_non_null(strstr(check.text, "Embree"));
    assert_non_null(strstr(check.text, "libembree-dev"));
    assert_null(strchr(check.text, '\n'));
    assert_null(scene);
    assert_false(ray_scene_hit(scene, &ray, &hit) || ray_scene_blocked(scene, &ray));
    assert_false(ray_scene_has_puffs(scene));
    ray_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(without_embree_one_line_says_what_is_missing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

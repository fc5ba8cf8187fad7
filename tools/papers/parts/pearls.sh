about "A hash of cells" \
    "Game Physics Pearls 2010, chapter 6: cells instead of points in the buckets of a spatial hash, and passes that are collapsed into one." \
    "The chapter gives orders, no numbers: a query of O(c) + O(g) instead of O(c g) for c cells in a bucket and g points in a cell, and no guard against visiting a bucket twice. A step of pbf has its passes collapsed throughout; src/fluid/README.md lists them."

spacing=0.2
full && spacing=0.1
measure dense dam_break "$spacing" 1 --steps 15 --neighbor spatial_hash,cell_hash,uniform_grid
because "The chapter gives orders, not numbers: a query sees the points of its cell alone and not those of other cells in the same bucket."
row "section 6.4" "search, cell hash, times the original hash's" "below 1" "$(of dense cell_hash search_ms) / $(of dense spatial_hash search_ms)" ""
row "section 6.4" "construction, cell hash, times the original hash's" "" "$(of dense cell_hash construction_ms) / $(of dense spatial_hash construction_ms)" ""
row "section 6.4" "tests of a particle, original hash: with those of other cells in its buckets" "" "$(of dense spatial_hash candidates) / $(of dense "" particles)" ""
row "section 6.4" "tests of a particle, cell hash" "" "$(of dense cell_hash candidates) / $(of dense "" particles)" ""
row "section 6.4" "search, cell hash, times the uniform grid's" "" "$(of dense cell_hash search_ms) / $(of dense uniform_grid search_ms)" ""

/* The end of what `width.h` begins. */
#undef WHERE_
#undef NEVER
#undef BY_SHUFFLE
#undef LANES
#undef ELEMENT
#undef VEC
#undef OF

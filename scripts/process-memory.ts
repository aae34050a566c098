/**
 * How glibc keeps memory for our processes; elsewhere these variables mean nothing. A picture's pixels are 2 MB, which
 * glibc by default takes from the system and gives back each time: measured here, 7 ms a picture instead of 1. Few
 * arenas keep what threads have freed from piling up.
 */
export const processMemory = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: String(32 * 2 ** 20),
  MALLOC_TRIM_THRESHOLD_: String(64 * 2 ** 20),
};

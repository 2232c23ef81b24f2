/** Keeps this thread busy, so that whatever else waits for it waits so long. */
export const busyFor = (milliseconds: number): void => {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

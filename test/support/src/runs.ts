/** How often a property is tried: by `npm test`, which is run again and again, a fifth of what everything else does; `long` times by `check:long`. */
export const runs = (all: number, long = all): number => {
  const test = process.env['CANOPY_TEST']
  return test === 'everyday' ? Math.ceil(all / 5) : test === 'long' ? long : all
}

/** Number of runs of a property: a fifth of `all` for `npm test`, `long` for `check:long`. */
export const runs = (all: number, long = all): number => {
  const test = process.env['CANOPY_TEST']
  return test === 'everyday' ? Math.ceil(all / 5) : test === 'long' ? long : all
}

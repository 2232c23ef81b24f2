/** How often a property is tried: a fifth of it by `npm test`, which is run again and again; all by everything else. */
export const runs = (all: number): number => (process.env['CANOPY_TEST'] === 'everyday' ? Math.ceil(all / 5) : all)

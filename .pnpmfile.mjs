/** What others install has no condition for our sources, and nothing that only this repository needs. */
export const hooks = {
  beforePacking: (manifest) => {
    delete manifest.devDependencies
    delete manifest.scripts
    for (const target of Object.values(manifest.exports ?? {})) delete target['canopy-source']
    return manifest
  },
}

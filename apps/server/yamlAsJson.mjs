import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { stringify } from 'lossless-json'
import { parse } from 'yaml'

/** A module with `json`, the text of the same JSON. Integers keep every digit. */
export const moduleOf = (file) => {
  const json = stringify(parse(readFileSync(file, 'utf8'), { intAsBigInt: true }))
  return `export const json = ${JSON.stringify(json)}\n`
}

/** For Rolldown and Vite: `name.yaml.js` is the module of `name.yaml`. */
export const yamlAsJson = {
  name: 'yaml-as-json',
  resolveId: {
    filter: { id: /\.yaml\.js$/ },
    handler: (id, importer) => resolve(dirname(importer), id.slice(0, -'.js'.length)),
  },
  load: {
    filter: { id: /\.yaml$/ },
    handler: (file) => ({ code: moduleOf(file), map: { mappings: '' }, moduleType: 'js' }),
  },
}

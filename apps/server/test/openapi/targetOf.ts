import { openApi } from './openApi.js'

/** A target of a path of the document, its parameters filled with their examples. */
export const targetOf = (path: string): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name) => {
    const example = openApi.components.parameters[name]?.example
    if (example === undefined) throw new Error(`{${name}} has no example`)
    return example
  })

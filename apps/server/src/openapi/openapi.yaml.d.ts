/** The document as JSON: yamlAsJson.mjs makes this module. */
export declare const json: string

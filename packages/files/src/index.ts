// What everyone who works with files needs beside node:fs.
export { errnoOf } from './errnoOf.js'
export { makeDirectory } from './makeDirectory.js'

// Makes dist/main.js, the whole command in a few files.
import { build } from 'rolldown'
import { forNode, removeParts } from '../../scripts/bundle.mjs'

removeParts()
await build({ ...forNode, input: { main: 'src/main.ts' } })

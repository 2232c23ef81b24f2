import { stringify } from 'lossless-json'
import { nextOf } from './exact.js'
import { userContentDirItems } from './orval.gen.js'

const path = encodeURIComponent('photos/50% off #1/Übersicht 日本')
let after: string | undefined
do {
  const answer = await userContentDirItems('1', path, { limit: 2, after })
  if (answer.status !== 200) throw new Error(`status ${answer.status}`)
  for (const item of answer.data.content) console.log(stringify(item))
  after = nextOf({ url: 'http://localhost:8080', ...answer })
} while (after !== undefined)

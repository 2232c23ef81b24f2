import type { Operation } from '../Operation.js'
import type { Json, JsonObject } from './Json.js'

const visibility = (inherited: boolean, of: string): JsonObject => ({ inherited, visibility: of })

const hidden = visibility(true, 'hidden')
const open = visibility(true, 'public')

const dir = (name: string, of: JsonObject, content?: ReadonlyArray<Json>): JsonObject => ({
  type: 'dir',
  name,
  visibility: of,
  ...(content === undefined ? {} : { content }),
})

const file = (name: string, size: Json, last_modified: Json, of: JsonObject): JsonObject => ({
  type: 'file',
  name,
  size,
  last_modified,
  visibility: of,
})

const item = (of: JsonObject, is_file: boolean, name: string, last_modified: Json, size: Json): JsonObject => ({
  visibility: of,
  is_file,
  name,
  last_modified,
  size,
})

const tree = (content: JsonObject): JsonObject => ({ type: 'tree', content })
const dirContent = (...content: ReadonlyArray<JsonObject>): JsonObject => ({ type: 'dir content', content })

const example = (summary: string, value: JsonObject): JsonObject => ({ summary, value })

const largest = 2n ** 64n - 1n
const ownedAlone = visibility(true, 'private')

/** Answers of the scenarios, under the scenarios' names. */
export const examples: { readonly [Of in Operation]: JsonObject } = {
  storageTree: {
    bounded: example(
      'depth 1 holds the children, their own children not expanded',
      tree(
        dir('photos', open, [dir('2024', visibility(false, 'hidden')), file('cover.jpg', 512, 1_700_000_000, open)]),
      ),
    ),
    exact: example(
      'sizes and times are exact to the last digit in a tree',
      tree(file('largest', largest, largest, ownedAlone)),
    ),
  },
  userContentTree: {
    whole: example(
      'the tree of a hidden directory is its visible subtree',
      tree(
        dir('2024', visibility(false, 'hidden'), [
          file('beach.jpg', 2048, 1_704_067_200, hidden),
          dir('week', hidden, [file('day.jpg', 3, 3, hidden)]),
        ]),
      ),
    ),
    unexpanded: example(
      'depth 0 is the node alone: no content means not expanded',
      tree(dir('', visibility(false, 'public'))),
    ),
  },
  storageDirItems: {
    scoped: example(
      'a token with a scope reads inside it, by paths from the root of the area',
      dirContent(
        item(visibility(false, 'hidden'), false, '2024', 103, 0),
        item(open, true, 'cover.jpg', 1_700_000_000, 512),
      ),
    ),
    exact: example(
      'sizes and times are exact to the last digit in a listing',
      dirContent(
        item(ownedAlone, true, 'beyond 2^53', 2n ** 53n + 3n, 2n ** 53n + 1n),
        item(ownedAlone, true, 'largest', largest, largest),
      ),
    ),
  },
  userContentDirItems: {
    hidden: example(
      'a hidden directory asked for by name lists what inherits it, and keeps a second secret',
      dirContent(item(hidden, true, 'beach.jpg', 1_704_067_200, 2048), item(hidden, false, 'week', 106, 0)),
    ),
    page: example(
      'a page holds the first items in byte order',
      dirContent(item(open, false, 'empty', 100, 0), item(open, false, 'odd', 101, 0)),
    ),
  },
  triggerPeek: {
    webhook: example('a trigger is passed on as it is, to the last digit', {
      type: 'trigger peak',
      value: { type: 'webhook', attempts: largest, nested: { list: [1, null, true] } },
    }),
  },
}

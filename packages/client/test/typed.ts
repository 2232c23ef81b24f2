import { AccessToken, Name, StoragePath, TriggerId, UserId } from '@canopy/domain'
import type { Answer, Ask } from '@canopy/testkit'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { type Client, type DirectoryItem, type Failure, result, type TreeNode } from '../src/index.js'

/** JSON with every bigint as plain digits. No text of an answer holds NUL. */
const exactJson = (value: unknown): string =>
  JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `\0${each}\0` : each)).replaceAll(/"?\\u0000"?/g, '')

const treeJson = (content: TreeNode): string => exactJson({ type: 'tree', content })

const listingJson = ({ items }: { readonly items: ReadonlyArray<DirectoryItem> }): string =>
  exactJson({ type: 'dir content', content: items })

/** A path as the client takes it: without a trailing slash, which only the root can do without. */
const pathOf = (raw: string): O.Option<string> =>
  pipe(
    StoragePath.fromRaw(raw),
    O.filter(({ path, mustBeDirectory }) => !mustBeDirectory || path === StoragePath.root),
    O.map(({ path }) => path),
  )

type Answered = () => Promise<Answer | Failure>

const answered =
  <A>(call: () => ReturnType<typeof result<A, Failure>>, json: (value: A) => string): Answered =>
  async () => {
    const outcome = await call()
    return 'failure' in outcome ? outcome.failure : { body: json(outcome.value) }
  }

/**
 * A raw question asked through the client, its answer written as JSON again; `none` when the client refuses it as
 * malformed: a token, id, path or name, or a trailing slash.
 */
export const typed = (client: Client, ask: Ask): O.Option<Answered> => {
  if (ask.operation === 'triggerPeek')
    return pipe(
      TriggerId.fromRawSegment(ask.credential),
      O.map((id) =>
        answered(
          () => result(client.triggerPeek({ id })),
          ({ json }) => `{"type":"trigger peak","value":${json}}`,
        ),
      ),
    )
  const ofToken = pipe(
    O.Do,
    O.apS('token', AccessToken.fromRawSegment(ask.credential)),
    O.apS('path', pathOf(ask.path)),
  )
  const ofUser = pipe(O.Do, O.apS('user', UserId.fromRawSegment(ask.credential)), O.apS('path', pathOf(ask.path)))
  switch (ask.operation) {
    case 'storageTree':
      return pipe(
        ofToken,
        O.map((to) => answered(() => result(client.storageTree({ ...to, depth: ask.depth })), treeJson)),
      )
    case 'userContentTree':
      return pipe(
        ofUser,
        O.map((to) => answered(() => result(client.userContentTree({ ...to, depth: ask.depth })), treeJson)),
      )
    case 'storageDirItems':
    case 'userContentDirItems': {
      const { operation, limit, after } = ask
      if (after !== undefined && !Name.is(after)) return O.none
      return operation === 'storageDirItems'
        ? pipe(
            ofToken,
            O.map((to) => answered(() => result(client.storageDirItems({ ...to, limit, after })), listingJson)),
          )
        : pipe(
            ofUser,
            O.map((to) => answered(() => result(client.userContentDirItems({ ...to, limit, after })), listingJson)),
          )
    }
  }
}

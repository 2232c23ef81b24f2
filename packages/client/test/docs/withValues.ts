import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { client, Input, TransportFailure, TreeNode } from '../../src/index.js'

const count: (node: TreeNode.TreeNode) => string = TreeNode.match({
  file: ({ size }) => `a file of ${size} bytes`,
  expanded: ({ content }) => `${content.length} nodes`,
  unexpanded: () => 'not expanded: ask for it',
})

export const described = (baseUrl: string, user: string, path: string) =>
  pipe(
    E.Do,
    E.bind('baseUrl', () => Input.baseUrl(baseUrl)),
    E.bind('user', () => Input.userId(user)),
    E.bind('path', () => Input.storagePath(path)),
    TE.fromEither,
    TE.flatMap(({ baseUrl: base, ...request }) => client({ baseUrl: base }).userContentTree({ ...request, depth: 1 })),
    TE.match((failure) => {
      switch (failure.error) {
        case 'malformed input':
          return failure.message
        case 'transport':
          return TransportFailure.message(failure)
        case 'permission denied':
        case 'file not found':
        case 'type mismatch':
        case 'external':
          return failure.error
      }
    }, count),
  )

import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as Input from '../Input.js'
import type * as Typed from '../targets.js'
import { checked } from './checkedOptions.js'

interface OfStorage {
  /** As it was issued, `cnp_` and 43 characters: opens an area, from the token's scope downwards; a secret. */
  readonly token: string
  /** Names as they are, nothing percent-encoded: `/` for the root, `/photos/a b.jpg` below it. */
  readonly path: string
}

interface OfUserContent {
  /** Whose area is asked for. A number only while it is exact, up to 2^53. */
  readonly user: string | bigint | number
  /** Names as they are, nothing percent-encoded: `/` for the root, `/photos/a b.jpg` below it. */
  readonly path: string
}

interface PageBounds {
  /** Items at most on a page, from 1. Without it: all. */
  readonly limit?: number | undefined
  /** Only items whose name follows this one in byte order. It need not exist. */
  readonly after?: string | undefined
}

export interface StorageTreeRequest extends OfStorage, Typed.TreeBounds {}
export interface UserContentTreeRequest extends OfUserContent, Typed.TreeBounds {}
export interface StorageDirItemsRequest extends OfStorage, PageBounds {}
export interface UserContentDirItemsRequest extends OfUserContent, PageBounds {}
export interface TriggerPeekRequest {
  /** The trigger's name as it is, nothing percent-encoded: all that peeking takes, and so a secret. */
  readonly id: string
}

type Parsed<A> = E.Either<Input.MalformedInput, A>

const both = <A, B>(one: Parsed<A>, other: Parsed<B>): Parsed<A & B> =>
  pipe(
    one,
    E.flatMap((a) =>
      pipe(
        other,
        E.map((b) => ({ ...a, ...b })),
      ),
    ),
  )

const ofStorage = ({ token, path }: OfStorage) =>
  pipe(
    E.Do,
    E.bind('token', () => Input.accessToken(token)),
    E.bind('path', () => Input.storagePath(path)),
  )

const ofUserContent = ({ user, path }: OfUserContent) =>
  pipe(
    E.Do,
    E.bind('user', () => Input.userId(user)),
    E.bind('path', () => Input.storagePath(path)),
  )

const treeBounds = ({ depth }: Typed.TreeBounds): Parsed<Typed.TreeBounds> =>
  checked(depth === undefined ? {} : { depth })

const pageBounds = ({ limit, after }: PageBounds): Parsed<Typed.PageBounds> =>
  both(
    checked(limit === undefined ? {} : { limit }),
    after === undefined
      ? E.right({})
      : pipe(
          Input.name(after),
          E.map((name) => ({ after: name })),
        ),
  )

/** What promises are asked with, as the typed client wants it. */
export const storageTree = (request: StorageTreeRequest): Parsed<Typed.StorageTreeRequest> =>
  both(ofStorage(request), treeBounds(request))

export const userContentTree = (request: UserContentTreeRequest): Parsed<Typed.UserContentTreeRequest> =>
  both(ofUserContent(request), treeBounds(request))

export const storageDirItems = (request: StorageDirItemsRequest): Parsed<Typed.StorageDirItemsRequest> =>
  both(ofStorage(request), pageBounds(request))

export const userContentDirItems = (request: UserContentDirItemsRequest): Parsed<Typed.UserContentDirItemsRequest> =>
  both(ofUserContent(request), pageBounds(request))

export const triggerPeek = ({ id }: TriggerPeekRequest): Parsed<Typed.TriggerPeekRequest> =>
  pipe(
    Input.triggerId(id),
    E.map((typed) => ({ id: typed })),
  )

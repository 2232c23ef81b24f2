import type { TreeNode as Domain, Failure, operations } from '@canopy/domain'
import type { ReaderTaskEither } from 'fp-ts/lib/ReaderTaskEither.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { expectTypeOf } from 'vitest'
import type { Client, Page, PeekedTrigger, TransportFailure, TreeNode } from '../src/index.js'

type FailureOf<Name extends keyof Client> = ReturnType<Client[Name]> extends TaskEither<infer F, unknown> ? F : never
type AnswerOf<Name extends keyof Client> = ReturnType<Client[Name]> extends TaskEither<unknown, infer A> ? A : never

type NamesOf<Name extends keyof typeof operations> =
  ReturnType<(typeof operations)[Name]> extends ReaderTaskEither<never, infer F extends Failure.Failure, unknown>
    ? F['error']
    : never

type Transport = TransportFailure.TransportFailure

// The operations of the domain, and no other.
expectTypeOf<keyof Client>().toEqualTypeOf<keyof typeof operations>()

// Each fails with exactly its column of part 7, and with the one failure of transport.
type InvalidToken = { readonly error: 'invalid token' }
type NotVerified = { readonly error: 'not verified' }
type PermissionDenied = { readonly error: 'permission denied' }
type FileNotFound = { readonly error: 'file not found' }
type TypeMismatch = { readonly error: 'type mismatch' }
type External = { readonly error: 'external' }
type TriggerNotFound = { readonly error: 'trigger not found' }

type Operations1And3 =
  | InvalidToken
  | NotVerified
  | PermissionDenied
  | FileNotFound
  | TypeMismatch
  | External
  | Transport
expectTypeOf<FailureOf<'storageTree'>>().toEqualTypeOf<Operations1And3>()
expectTypeOf<FailureOf<'storageDirItems'>>().toEqualTypeOf<Operations1And3>()

type Operations2And4 = PermissionDenied | FileNotFound | TypeMismatch | External | Transport
expectTypeOf<FailureOf<'userContentTree'>>().toEqualTypeOf<Operations2And4>()
expectTypeOf<FailureOf<'userContentDirItems'>>().toEqualTypeOf<Operations2And4>()

expectTypeOf<FailureOf<'triggerPeek'>>().toEqualTypeOf<TriggerNotFound | External | Transport>()

// The same names that the domain infers for its own operations.
type OwnNamesOf<Name extends keyof Client> =
  Exclude<FailureOf<Name>, Transport> extends { readonly error: infer Own } ? Own : never
expectTypeOf<OwnNamesOf<'storageTree'>>().toEqualTypeOf<NamesOf<'storageTree'>>()
expectTypeOf<OwnNamesOf<'userContentTree'>>().toEqualTypeOf<NamesOf<'userContentTree'>>()
expectTypeOf<OwnNamesOf<'storageDirItems'>>().toEqualTypeOf<NamesOf<'storageDirItems'>>()
expectTypeOf<OwnNamesOf<'userContentDirItems'>>().toEqualTypeOf<NamesOf<'userContentDirItems'>>()
expectTypeOf<OwnNamesOf<'triggerPeek'>>().toEqualTypeOf<NamesOf<'triggerPeek'>>()

// One failure of transport: one tag, whatever the reason.
expectTypeOf<Transport['error']>().toEqualTypeOf<'transport'>()

// What each answers with.
expectTypeOf<AnswerOf<'storageTree' | 'userContentTree'>>().toEqualTypeOf<TreeNode.TreeNode>()
expectTypeOf<AnswerOf<'storageDirItems'>>().toEqualTypeOf<Page<Operations1And3>>()
expectTypeOf<AnswerOf<'userContentDirItems'>>().toEqualTypeOf<Page<Operations2And4>>()
expectTypeOf<AnswerOf<'triggerPeek'>>().toEqualTypeOf<PeekedTrigger>()

// Three kinds of nodes: only one has children, and the check is a narrowing.
declare const node: TreeNode.TreeNode
if (node.type === 'file') expectTypeOf(node).toEqualTypeOf<Domain.FileTreeNode>()
else if (node.content === undefined) expectTypeOf(node).toEqualTypeOf<TreeNode.UnexpandedDirectory>()
else expectTypeOf(node).toEqualTypeOf<TreeNode.ExpandedDirectory>()
expectTypeOf<TreeNode.ExpandedDirectory>().not.toExtend<TreeNode.UnexpandedDirectory>()
expectTypeOf<TreeNode.UnexpandedDirectory>().not.toExtend<TreeNode.ExpandedDirectory>()

// Raw text is no token, id or path.
expectTypeOf<{ token: string; path: string }>().not.toExtend<Parameters<Client['storageTree']>[0]>()
expectTypeOf<{ id: string }>().not.toExtend<Parameters<Client['triggerPeek']>[0]>()

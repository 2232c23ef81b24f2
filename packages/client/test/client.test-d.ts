import type { Failure as Domain, operations } from '@canopy/domain'
import type { ReaderTaskEither } from 'fp-ts/lib/ReaderTaskEither.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { expectTypeOf } from 'vitest'
import type { TaskEitherClient } from '../src/fp-ts.js'
import type {
  Call,
  CallFailure,
  CallOptions,
  CanopyError,
  Client,
  DirectoryItem,
  ExpandedDirectory,
  Failure,
  NodeVisibility,
  Page,
  PeekedTrigger,
  Result,
  StorageFailure,
  TreeFile,
  TreeNode,
  TriggerFailure,
  UnexpandedDirectory,
  UserContentFailure,
  Visibility,
} from '../src/index.js'
import { toResult } from '../src/index.js'

type Operation = keyof typeof operations

type FailureOf<Name extends Operation> = ReturnType<Client[Name]> extends Call<unknown, infer F> ? F : never
type TaskFailureOf<Name extends Operation> =
  ReturnType<TaskEitherClient[Name]> extends TaskEither<infer F, unknown> ? F : never

// Both APIs have the domain's operations, and loops over items and pages for each listing, and one over a tree.
type Loops = 'storageItems' | 'userContentItems' | 'storagePages' | 'userContentPages' | 'walk'
type Files = 'file' | 'fileUrl'
expectTypeOf<keyof Client>().toEqualTypeOf<Operation | Loops | Files>()
expectTypeOf<keyof TaskEitherClient>().toEqualTypeOf<keyof Client>()

// The failures that all operations share.
interface Refused {
  readonly error: 'too many requests' | 'overloaded'
  readonly retryAfter: number
}
expectTypeOf<Extract<CallFailure, Refused>['error']>().toEqualTypeOf<'too many requests' | 'overloaded'>()
expectTypeOf<CallFailure['error']>().toEqualTypeOf<
  | 'malformed input'
  | 'bad request'
  | 'too many requests'
  | 'overloaded'
  | 'no response'
  | 'incomplete response'
  | 'malformed response'
  | 'unexpected response'
  | 'timed out'
  | 'aborted'
>()

// Each operation has exactly the error names that the domain infers, and the shared failures.
type NamesOf<Name extends Operation> =
  ReturnType<(typeof operations)[Name]> extends ReaderTaskEither<never, infer F extends Domain.Failure, unknown>
    ? F['error']
    : never
expectTypeOf<{ [Name in Operation]: FailureOf<Name>['error'] }>().toEqualTypeOf<{
  [Name in Operation]: NamesOf<Name> | CallFailure['error']
}>()
expectTypeOf<FailureOf<'storageTree'>>().toEqualTypeOf<StorageFailure>()
expectTypeOf<FailureOf<'userContentTree'>>().toEqualTypeOf<UserContentFailure>()
expectTypeOf<FailureOf<'triggerPeek'>>().toEqualTypeOf<TriggerFailure>()

// Both APIs have the same failures.
expectTypeOf<{ [Name in Operation]: TaskFailureOf<Name> }>().toEqualTypeOf<{ [Name in Operation]: FailureOf<Name> }>()

// `error` alone tells the failures apart.
declare const error: CanopyError
expectTypeOf(error.failure).toEqualTypeOf<Failure>()
if (error.failure.error === 'overloaded') expectTypeOf(error.failure.retryAfter).toEqualTypeOf<number>()
if (error.failure.error === 'timed out') expectTypeOf(error.failure.timeoutMs).toEqualTypeOf<number>()
if (error.failure.error === 'malformed response') expectTypeOf(error.failure.part).toEqualTypeOf<string>()
if (error.failure.error === 'no response') expectTypeOf(error.failure.code).toEqualTypeOf<string>()
if (error.failure.error === 'bad request')
  expectTypeOf(error.failure.parameter).toEqualTypeOf<'depth' | 'limit' | 'after' | 'name' | undefined>()

// The result of a call has the failures of its operation.
declare const canopy: Client
expectTypeOf(toResult(canopy.triggerPeek({ id: '' }))).toEqualTypeOf<Promise<Result<PeekedTrigger, TriggerFailure>>>()
expectTypeOf(toResult(canopy.storageDirItems({ token: '', path: '' }))).toEqualTypeOf<
  Promise<Result<Page<StorageFailure>, StorageFailure>>
>()

// Plain text in, plain values out.
expectTypeOf<Parameters<Client['storageTree']>>().toEqualTypeOf<
  [
    request: { readonly token: string; readonly path: string; readonly depth?: number | undefined },
    call?: CallOptions | undefined,
  ]
>()
expectTypeOf<Parameters<Client['userContentDirItems']>[0]>().toEqualTypeOf<{
  readonly user: string | bigint | number
  readonly path: string
  readonly limit?: number | undefined
  readonly after?: string | undefined
}>()
expectTypeOf<Awaited<ReturnType<Client['storageTree']>>>().toEqualTypeOf<TreeNode>()
expectTypeOf<Client['storageItems']>().returns.toEqualTypeOf<AsyncIterable<DirectoryItem>>()
expectTypeOf<Client['userContentPages']>().returns.toEqualTypeOf<AsyncIterable<Page<UserContentFailure>>>()
expectTypeOf<DirectoryItem['size']>().toEqualTypeOf<bigint>()

// Every part of a value has an exported type, so that programs can name it.
expectTypeOf<TreeNode['visibility']>().toEqualTypeOf<NodeVisibility>()
expectTypeOf<NodeVisibility['visibility']>().toEqualTypeOf<Visibility>()

// Three kinds of nodes.
declare const node: TreeNode
if (node.type === 'file') expectTypeOf(node).toEqualTypeOf<TreeFile>()
else if ('content' in node) expectTypeOf(node).toEqualTypeOf<ExpandedDirectory>()
else expectTypeOf(node).toEqualTypeOf<UnexpandedDirectory>()

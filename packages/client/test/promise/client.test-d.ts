import { expectTypeOf } from 'vitest'
import type * as Typed from '../../src/index.js'
import type {
  CallOptions,
  CanopyError,
  Client,
  NodeVisibility,
  Page,
  PeekedTrigger,
  TreeNode,
  Visibility,
} from '../../src/promise/index.js'

// The five operations, and a loop over items and pages for each listing.
expectTypeOf<Exclude<keyof Client, keyof Typed.Client>>().toEqualTypeOf<
  'storageItems' | 'userContentItems' | 'storagePages' | 'userContentPages'
>()
expectTypeOf<Exclude<keyof Typed.Client, keyof Client>>().toBeNever()

// Plain text in, plain values out: nothing of fp-ts, no brands.
expectTypeOf<Client['storageTree']>().toEqualTypeOf<
  (
    request: { readonly token: string; readonly path: string; readonly depth?: number | undefined },
    call?: CallOptions,
  ) => Promise<TreeNode>
>()
expectTypeOf<Client['userContentDirItems']>().toEqualTypeOf<
  (
    request: {
      readonly user: string | bigint | number
      readonly path: string
      readonly limit?: number | undefined
      readonly after?: string | undefined
    },
    call?: CallOptions,
  ) => Promise<Page>
>()
expectTypeOf<Client['triggerPeek']>().toEqualTypeOf<
  (request: { readonly id: string }, call?: CallOptions) => Promise<PeekedTrigger>
>()
expectTypeOf<Client['storageItems']>().returns.toEqualTypeOf<AsyncIterable<Page['items'][number]>>()
expectTypeOf<Page['items'][number]['name']>().toEqualTypeOf<string>()
expectTypeOf<Page['items'][number]['size']>().toEqualTypeOf<bigint>()
expectTypeOf<Page['next']>().toEqualTypeOf<(() => Promise<Page>) | undefined>()

// Every part of a value has a name at this door: else a program could not declare what it makes of them.
expectTypeOf<TreeNode['visibility']>().toEqualTypeOf<NodeVisibility>()
expectTypeOf<Page['items'][number]['visibility']>().toEqualTypeOf<NodeVisibility>()
expectTypeOf<NodeVisibility['visibility']>().toEqualTypeOf<Visibility>()

// An expanded directory is told from one that is not.
declare const node: TreeNode
if (node.type === 'dir' && node.content !== undefined) {
  expectTypeOf(node.content).toEqualTypeOf<ReadonlyArray<TreeNode>>()
}

// One error, of the interface's names and two more.
expectTypeOf<CanopyError['error']>().toEqualTypeOf<
  | 'invalid token'
  | 'not verified'
  | 'permission denied'
  | 'file not found'
  | 'type mismatch'
  | 'external'
  | 'trigger not found'
  | 'malformed input'
  | 'transport'
>()

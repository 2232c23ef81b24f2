import { createClient, formatFailure, type TreeNode, toResult } from '@canopy/client'

const kind = (node: TreeNode): string => {
  if (node.type === 'file') return `a file of ${node.size} bytes`
  return 'content' in node ? `a directory of ${node.content.length} nodes` : 'a directory that is not expanded'
}

export const described = async (baseUrl: string, user: string, path: string): Promise<string> => {
  const outcome = await toResult(createClient({ baseUrl }).userContentTree({ user, path, depth: 1 }))
  if (!('failure' in outcome)) return kind(outcome.value)
  const { failure } = outcome
  if (failure.error === 'permission denied' || failure.error === 'file not found') return 'nothing to see'
  if (failure.error === 'overloaded') return `busy: try again in ${failure.retryAfter} s`
  return formatFailure(failure)
}

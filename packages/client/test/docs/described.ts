import { createClient, formatFailure, toResult } from '@canopy/client'

export const described = async (baseUrl: string, user: string, path: string): Promise<string> => {
  const outcome = await toResult(createClient({ baseUrl }).userContentTree({ user, path, depth: 1 }))
  if ('failure' in outcome) {
    const { failure } = outcome
    return failure.error === 'permission denied' ? 'nothing to see' : formatFailure(failure)
  }
  const node = outcome.value
  if (node.type === 'file') return `a file of ${node.size} bytes`
  return 'content' in node ? `a directory of ${node.content.length} nodes` : 'a directory that is not expanded'
}

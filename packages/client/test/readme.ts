import { CanopyError, createClient } from '@canopy/client'

export const largeFiles = async (baseUrl: string, token: string) => {
  const canopy = createClient({ baseUrl })
  const large: Array<string> = []
  try {
    for await (const item of canopy.storageItems({ token, path: '/photos', limit: 100 })) {
      if (item.is_file && item.size > 1_000_000n) large.push(item.name)
    }
    return large
  } catch (error) {
    if (error instanceof CanopyError && error.failure.error === 'file not found') return []
    throw error
  }
}

import { Settings, StoragePath, View } from '@canopy/domain'

const settings = Settings.fromRecord({ '/photos': 'public', '/photos/2024': 'private' })

/** Passes requests for public files on to the origin, and refuses all others at the edge. */
export default {
  fetch: async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url)
    const parsed = StoragePath.fromRaw(pathname)
    const isVisible = parsed._tag === 'Some' && View.visitorMayRequest(settings, parsed.value.path)
    return isVisible ? fetch(`https://origin.example${pathname}`) : new Response('permission denied', { status: 403 })
  },
}

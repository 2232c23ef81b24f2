import type { Name, OpenedFile } from '@canopy/domain'
import { type Headers, Route } from '@canopy/http'
import contentDisposition from 'content-disposition'
import { mimes } from 'mrmime'

const binary = 'application/octet-stream'

/** Content is hostile, so only types that run no script are inline. A text of another type, such as HTML, would. */
const inlineType = (name: string): string | undefined => {
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  // `lookup` of the library would find `a.constructor`.
  const type = (name.includes('.') && Object.hasOwn(mimes, extension) && mimes[extension]) || binary
  if (/html|xml/.test(type)) return undefined
  if (/^(image|audio|video)\//.test(type)) return type
  return type.startsWith('text/') ? 'text/plain; charset=utf-8' : undefined
}

/** Headers of all content that users have stored. */
const hostile = (credential: Route.Credential): Headers => ({
  'Cache-Control': Route.cacheControl[credential],
  'Content-Security-Policy': "default-src 'none'; sandbox",
  // A page of another origin may show what visitors see, but nothing that a token opens.
  'Cross-Origin-Resource-Policy': credential === 'token' ? 'same-origin' : 'cross-origin',
  'Access-Control-Expose-Headers':
    'Accept-Ranges, Content-Disposition, Content-Length, Content-Range, ETag, Last-Modified, Retry-After, X-Request-Id',
})

/** The latest time whose year has four digits, as HTTP and archives write it. */
export const maxSeconds = 253_402_300_799n

const lastModified = (seconds: bigint): Headers =>
  seconds > maxSeconds ? {} : { 'Last-Modified': new Date(Number(seconds) * 1000).toUTCString() }

/** Returns the headers of a file that are the same for each range. The tag is strong. */
export const fileHeaders = (
  credential: Route.Credential,
  name: Name.Name,
  { last_modified, version }: Pick<OpenedFile, 'last_modified' | 'version'>,
): Headers => {
  const type = inlineType(name)
  return {
    ...hostile(credential),
    'Content-Type': type ?? binary,
    'Content-Disposition': contentDisposition(name, { type: type === undefined ? 'attachment' : 'inline' }),
    'Accept-Ranges': 'bytes',
    ETag: `"${version}"`,
    ...lastModified(last_modified),
  }
}

/** Returns the headers of the archive of a directory. The root of an area has no name. */
export const archiveHeaders = (credential: Route.Credential, name: string): Headers => ({
  ...hostile(credential),
  'Content-Type': 'application/zip',
  'Content-Disposition': contentDisposition(`${name === '' ? 'files' : name}.zip`),
  'Accept-Ranges': 'none',
})

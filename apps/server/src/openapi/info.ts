import type { JsonObject } from './Json.js'
import { outside } from './outside.js'

/** That of the server's package. */
const version = '0.1.0'

const description = `- The owner of an area reads it with an access token (**storage**), anyone else by the owner's user id
  (**user content**). Only GET, HEAD and OPTIONS exist, and nothing is ever redirected.
- **Tokens and trigger ids are secrets that stand in the path.** Whoever knows the URL can read what it opens: keep such
  URLs out of logs, bookmarks and shared links.
- **Visibility.** The nearest setting on a path or above it wins; with none, a node is \`private\`. A visitor may ask for
  what is \`public\` or \`hidden\`; in a directory a visitor is shown what is \`public\`, and what is \`hidden\` only because
  the directory is.
- **Integers are exact.** \`size\` and \`last_modified\` are unsigned 64-bit integers in plain decimal digits. A reader
  must not round them: JavaScript's \`JSON.parse\` does above 2^53, and so may a page that shows this document.
- **Paths** have any number of segments. Percent-encode each segment, and leave the slashes between them as they are:
  \`%2F\` is a slash inside a name, which no name has. Names compare by bytes. One trailing slash is allowed and means
  that the node must be a directory.
- **Order** is by name, in byte order of UTF-8, files and directories mixed.
- **Errors** are \`{"type":"error","error":NAME}\`, the same bytes for each name, and never say more than the name.
- New fields may be added to every object: ignore the ones you do not know.

All but the operations below, this document and its page is answered with an error:

${outside}`

export const info: JsonObject = {
  title: 'Canopy',
  version,
  summary: "A read-only HTTP service over people's file storage, with visibility.",
  description,
}

export const tags: ReadonlyArray<JsonObject> = [
  { name: 'storage', description: 'What the owner of an area reads, with an access token in the path.' },
  { name: 'user content', description: "What anyone reads, by the owner's user id." },
  { name: 'triggers', description: 'Looking at a trigger without firing it.' },
  { name: 'probes', description: 'How the service is, for balancers and supervisors.' },
  { name: 'methods', description: 'HEAD and OPTIONS of the operations above.' },
]

import { Failure, type StoragePath } from '@canopy/domain'
import type { Ports } from '@canopy/testkit'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { withText } from './answers.js'
import type { Mutant } from './Mutant.js'
import { nodes } from './nodes.js'
import { isListing, readingPath } from './targets.js'

const normalised = (path: string): string => (path === '' ? '' : new URL(`http://x${path}`).pathname)

/** A storage that takes one path for another, where the one it is asked for is not there. */
const orAt =
  (other: (path: string) => string) =>
  (ports: Ports): Ports => ({
    ...ports,
    nodeAt: (area, path) =>
      pipe(
        ports.nodeAt(area, path),
        TE.orElse((failure) =>
          failure.error === 'file not found'
            ? ports.nodeAt(area, other(path) as StoragePath.StoragePath)
            : TE.left(failure),
        ),
      ),
  })

const noMismatch = <A>(task: TE.TaskEither<Failure.FileNotFound | Failure.TypeMismatch | Failure.External, A>) =>
  pipe(
    task,
    TE.mapLeft((failure) => (failure.error === 'type mismatch' ? Failure.fileNotFound : failure)),
  )

/** How a path is read (decisions 12 to 17). */
export const pathMutants: ReadonlyArray<Mutant> = [
  {
    name: 'decodes twice',
    caughtBy: 'a percent sign in a name is written %25',
    asked: readingPath((path) => path.replace(/%25([0-9A-Fa-f]{2})/g, '%$1')),
  },
  {
    name: 'does not decode',
    caughtBy: 'an escape is decoded once',
    asked: readingPath((path) => path.replace(/%(?!25)/g, '%25')),
  },
  {
    name: 'takes an encoded slash for part of a name',
    caughtBy: 'an encoded slash is a slash',
    asked: readingPath((path) => path.replace(/%2f/gi, '%00')),
  },
  {
    name: 'takes an encoded slash in small letters for part of a name',
    caughtBy: 'a slash may be encoded in small letters too, and beside plain ones',
    asked: readingPath((path) => path.replaceAll('%2f', '%00')),
  },
  {
    name: 'does not mind an encoded slash behind a file',
    caughtBy: 'a file with an encoded slash at the end is a type mismatch',
    asked: readingPath((path) => path.replace(/%2f$/i, '')),
  },
  {
    name: 'drops an encoded slash at the beginning',
    caughtBy: 'an encoded slash at the beginning names nothing',
    asked: readingPath((path) => path.replace(/^\/%2f/i, '/')),
  },
  { name: 'resolves dots', caughtBy: 'two dots names nothing', asked: readingPath(normalised) },
  {
    name: 'drops single dots',
    caughtBy: 'a dot names nothing',
    asked: readingPath((path) => path.replaceAll('/./', '/')),
  },
  {
    name: 'collapses doubled slashes',
    caughtBy: 'a doubled slash inside names nothing',
    asked: readingPath((path) => path.replace(/\/+/g, '/')),
  },
  {
    name: 'takes a first empty name for none',
    caughtBy: 'a doubled slash names nothing',
    asked: readingPath((path) => path.replace(/^\/+/, '/')),
  },
  {
    name: 'allows any number of trailing slashes',
    caughtBy: 'two trailing slashes names nothing',
    asked: readingPath((path) => path.replace(/(?<=.)\/+$/, '/')),
  },
  {
    name: 'ends a name at a NUL',
    caughtBy: 'a NUL names nothing',
    asked: readingPath((path) => path.replace(/%00.*$/, '')),
  },
  {
    name: 'drops malformed escapes',
    caughtBy: 'an escape of other digits names nothing',
    asked: readingPath((path) => path.replace(/%(?![0-9A-Fa-f]{2})../g, '')),
  },
  {
    name: 'takes a plus for a space',
    caughtBy: 'a plus in a path is a plus',
    asked: readingPath((path) => path.replaceAll('+', '%20')),
  },
  {
    name: 'folds case',
    caughtBy: 'another case names nothing',
    ports: orAt((path) => path.toLowerCase()),
  },
  {
    name: 'composes names',
    caughtBy: 'names are not normalised: the decomposed spelling is another file',
    asked: readingPath((path) => path.replace('e%CC%81', '%C3%A9')),
  },
  {
    name: 'refuses names of over 200 bytes',
    caughtBy: 'a name of 255 bytes is found',
    asked: readingPath((path) => path.replace(/[^/]{200,}/, '%')),
  },
  {
    name: 'counts a name in escaped bytes',
    caughtBy: 'bytes are counted, not letters',
    asked: readingPath((path) => (path.split('/').some((name) => name.length > 255) ? '//' : path)),
  },
  {
    name: 'refuses paths of over 100 segments',
    caughtBy: 'a path of 255 segments is found',
    asked: readingPath((path) => (path.split('/').length > 101 ? '//' : path)),
  },
  {
    name: 'refuses paths of over 1,024 bytes',
    caughtBy: 'a path of 4,095 bytes is found',
    asked: readingPath((path) => (path.length > 1024 ? '//' : path)),
  },
  {
    name: 'has no root but the one with a slash',
    caughtBy: 'a visitor sees in a public root what inherits it, in byte order, and not what is hidden or private',
    asked: readingPath((path) => (path === '' ? '//' : path)),
  },
  {
    name: 'does not mind a trailing slash behind a file',
    caughtBy: 'a tree of a file with a trailing slash is a type mismatch',
    asked: readingPath((path) => path.replace(/(?<=.)\/$/, '')),
  },
  {
    name: 'minds a trailing slash behind a directory',
    caughtBy: 'a token with a scope reads inside it, by paths from the root of the area',
    asked: readingPath((path) => path.replace(/(?<=.)\/$/, '//')),
  },
  {
    name: 'lists a file as itself',
    caughtBy: 'a listing of a file is a type mismatch',
    answered: async (answer, asked, ask) => {
      if (!isListing(asked) || answer.status !== 409) return answer
      const tree = await ask(asked.target.replace('/diritems/', '/tree/'))
      if (tree.status !== 200) return answer
      const { name, size, last_modified, visibility } = JSON.parse(tree.body.toString()).content
      return withText(
        tree,
        JSON.stringify({ type: 'dir content', content: [{ visibility, is_file: true, name, last_modified, size }] }),
      )
    },
  },
  {
    name: 'does not find what runs through a file',
    caughtBy: 'a path that runs through a file is a type mismatch',
    ports: (ports) => ({
      ...ports,
      nodeAt: (area, path) => noMismatch(ports.nodeAt(area, path)),
      list: (area, path) => noMismatch(ports.list(area, path)),
    }),
  },
  {
    name: 'follows a link to a file',
    caughtBy: 'a symbolic link to a file is not found',
    world: nodes((node) =>
      node.name === 'link to readme' ? { type: 'file', name: node.name, size: 14n, last_modified: 1n } : node,
    ),
  },
  {
    name: 'goes through a link to a directory',
    caughtBy: 'nothing is found through a symbolic link',
    asked: readingPath((path) => path.replace('link%20to%20photos/', 'photos/')),
  },
  {
    name: 'lists links',
    caughtBy: 'the owner sees every node with its visibility, and no link, FIFO or undecodable name',
    world: nodes((node) =>
      node.type === 'link' ? { type: 'file', name: node.name, size: 1n, last_modified: 1n } : node,
    ),
  },
  {
    name: 'takes a FIFO for a file',
    caughtBy: 'a FIFO is not found',
    world: nodes((node) =>
      node.type === 'fifo' ? { type: 'file', name: node.name, size: 0n, last_modified: 1n } : node,
    ),
  },
  {
    name: 'lists a name that is not UTF-8 with replacement characters',
    caughtBy: 'the owner sees every node with its visibility, and no link, FIFO or undecodable name',
    world: nodes((node) =>
      node.type === 'undecodable'
        ? { type: 'file', name: `${node.name}\ufffd\ufffd`, size: 0n, last_modified: 1n }
        : node,
    ),
  },
]

import { type Piece, splitPieces } from './format.js'

const Pieces = ({ pieces }: { readonly pieces: ReadonlyArray<Piece> }) => (
  <>{pieces.map(({ text, mark }) => (mark === undefined ? text : <span class="mark">{mark}</span>))}</>
)

/** A name as one box of text, which people can select, find and hear as a whole. Styles cut it if it is too long. */
export const Name = ({ name }: { readonly name: string }) => (
  <bdi class="name">
    <Pieces pieces={splitPieces(name)} />
  </bdi>
)

/** A text in full length, with marks for invisible characters. */
export const Visible = ({ text }: { readonly text: string }) => (
  <bdi class="visible">
    <Pieces pieces={splitPieces(text)} />
  </bdi>
)

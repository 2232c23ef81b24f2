import { ownerItems, ownerTree, visitorItems, visitorTree } from '../asks.js'
import { fails, type Scenario } from '../Scenario.js'
import { tokens, theWorld as world } from '../theWorld.js'

export const typeMismatch: ReadonlyArray<Scenario> = [
  {
    name: 'a listing of a file is a type mismatch',
    world,
    ask: ownerItems(tokens.owner, '/readme.txt'),
    answer: fails('type mismatch'),
  },
  {
    name: 'a listing of a visible file by a visitor is a type mismatch',
    world,
    ask: visitorItems('1', '/readme.txt'),
    answer: fails('type mismatch'),
  },
  {
    name: 'a tree of a file with a trailing slash is a type mismatch',
    world,
    ask: ownerTree(tokens.owner, '/readme.txt/'),
    answer: fails('type mismatch'),
  },
  {
    name: 'a visitor asking for a file with a trailing slash gets a type mismatch',
    world,
    ask: visitorTree('1', '/readme.txt/'),
    answer: fails('type mismatch'),
  },
  {
    name: 'a path that runs through a file is a type mismatch',
    world,
    ask: ownerTree(tokens.owner, '/readme.txt/below'),
    answer: fails('type mismatch'),
  },
  {
    name: 'a listing of a path that runs through a file is a type mismatch',
    world,
    ask: ownerItems(tokens.owner, '/readme.txt/below/further'),
    answer: fails('type mismatch'),
  },
  {
    name: 'a visitor whose path runs through a file gets a type mismatch',
    world,
    ask: visitorTree('1', '/readme.txt/below'),
    answer: fails('type mismatch'),
  },
  {
    name: 'a visitor is not told of a file that they may not reach, not even by a type mismatch',
    world,
    ask: visitorTree('1', '/private/diary.txt/page'),
    answer: fails('file not found'),
  },
  {
    name: 'below a file that a visitor may not reach it is as if nothing were there',
    world,
    ask: visitorTree('1', '/private/nothing/page'),
    answer: fails('file not found'),
  },
  {
    name: 'a visitor listing below a file that they may not reach is not told of it either',
    world,
    ask: visitorItems('1', '/private/diary.txt/page'),
    answer: fails('file not found'),
  },
  {
    name: 'the owner is told of a file in the way, also of a private one',
    world,
    ask: ownerTree(tokens.owner, '/private/diary.txt/page'),
    answer: fails('type mismatch'),
  },
]

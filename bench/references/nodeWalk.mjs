// Looks at every entry of a tree, as fast as Node can one after the other, and does nothing with it: node nodeWalk.mjs TREE
import { lstatSync, readdirSync } from 'node:fs'

const walk = () => {
  for (const name of readdirSync('.')) {
    if (!lstatSync(name).isDirectory()) continue
    process.chdir(name)
    walk()
    process.chdir('..')
  }
}

process.chdir(process.argv[2] ?? '.')
walk()

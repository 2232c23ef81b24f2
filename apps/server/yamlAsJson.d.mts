import type { Plugin } from 'vite'

export declare const yamlAsJson: Plugin

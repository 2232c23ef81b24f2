export * as S3Url from './S3Url.js'
export { type S3Storage, s3Storage } from './s3Storage.js'

/** 16 bytes in base64url, as `canopy trigger create` makes them. One that somebody chose looks like any name. */
const triggerId = /(?<![\w-])[\w-]{21}[AQgw](?![\w-])/

export const holdsTriggerId = (text: string): boolean => triggerId.test(text)

/** A keyring of no secret. */
export const testDataKeys = `test:${Buffer.alloc(32, 7).toString('base64')}`

/** A keyring for tests. */
export const testDataKeys = `test:${Buffer.alloc(32, 7).toString('base64')}`

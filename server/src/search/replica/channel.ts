/** Writers of the catalogue notify here when a batch has committed. Only a wake-up: who misses one finds the batch by its number. */
export const catalogueChannel = 'storedex_catalogue'

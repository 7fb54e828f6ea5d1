// The address of a store's page has the search that led to it, for the way back and to the stores beside it.
export { type StoresSearch as StoreSearch, validateStoresSearch as validateStoreSearch } from '../stores/search.ts'

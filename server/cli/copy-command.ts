// The word by which a hub starts this program again to copy its database.

export const COPY_DATABASE = 'copy-database';

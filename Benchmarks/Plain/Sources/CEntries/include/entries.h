/// Starts and stops the list of entered functions.
void entries_start(void);
void entries_stop(void);

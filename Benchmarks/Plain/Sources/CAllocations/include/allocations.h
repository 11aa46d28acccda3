// How often this thread has asked for memory. Linking this target replaces malloc and its kin.
unsigned long allocations_of_thread(void);

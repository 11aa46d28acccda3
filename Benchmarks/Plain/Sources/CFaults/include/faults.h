// Makes one call of a C function fail, if libcurl or the program itself makes it. Linking this target replaces the
// functions; `malloc` stands for the four functions that libcurl allocates memory with. The name `server.test` has the
// address 127.0.0.1.
#pragma once

#include <stdbool.h>

// The number of functions that can fail, and their names.
int faults_count(void);
const char *faults_name(int function);

// Has libcurl allocate its memory here. Must be called before libcurl is used.
//
// Returns whether libcurl accepts it.
bool faults_initialize(void);

// Has libcurl get all the memory that it asks for when a library calls it back, such as "libssl".
void faults_spare(const char *library);

// Counts the calls of a function from now on, and has one of them fail. Position 0 is none of them.
void faults_arm(int function, long position);

// Returns the number of calls since faults_arm.
long faults_disarm(void);

// Whether a call has failed since the last faults_arm.
bool faults_happened(void);

// The number of blocks of memory that libcurl holds.
long faults_blocks(void);
